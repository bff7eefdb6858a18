//! The one place where the server reads the clock.

use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::{Instant, Sleep, sleep};

/// What time it is for people: when a match was made, when an event was written. Nothing
/// is decided by it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    /// As the system says.
    System,
    /// As it would be if this instant had been the beginning of 2026, in the time of the
    /// runtime, which may stand still.
    Simulated(Instant),
}

const SIMULATED_FROM_MS: i64 = 1_767_225_600_000;

impl Clock {
    pub(crate) fn simulated() -> Clock {
        Clock::Simulated(now())
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        match self {
            Clock::System => {
                #[allow(clippy::disallowed_methods, reason = "this is the one place")]
                let now = SystemTime::now();
                milliseconds(now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
            }
            Clock::Simulated(begun) => {
                SIMULATED_FROM_MS + milliseconds(now().duration_since(*begun))
            }
        }
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn now() -> Instant {
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    Instant::now()
}

/// The service time: the milliseconds for which the service was up and its store took writes,
/// over all its processes. Whatever is due in a match is due at such a time, so nobody is
/// charged for the time in between. All clones mean the same time.
#[derive(Clone, Debug)]
pub(crate) struct ServiceTime(Arc<Mutex<Going>>);

#[derive(Debug)]
struct Going {
    /// It was so much at this instant.
    at_ms: i64,
    since: Instant,
    /// It stands, until something can be written.
    stands: bool,
    /// So much is on disk: it does not go back behind that.
    written_ms: i64,
}

impl Going {
    fn now_ms(&self) -> i64 {
        if self.stands {
            return self.at_ms;
        }
        let up_ms = milliseconds(now().duration_since(self.since));
        self.at_ms.saturating_add(up_ms)
    }
}

impl ServiceTime {
    /// Goes on from what it was when the process before this one ended.
    pub(crate) fn going_on_from(ms: i64) -> ServiceTime {
        ServiceTime(Arc::new(Mutex::new(Going {
            at_ms: ms,
            since: now(),
            stands: false,
            written_ms: ms,
        })))
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.0.lock().now_ms()
    }

    /// The store has not taken what was asked of it at this service time, so from then on
    /// nobody could do anything: it stands until something is written again.
    pub(crate) fn stand_still(&self, asked_ms: i64) {
        let mut going = self.0.lock();
        if !going.stands {
            let least_ms = going.written_ms;
            going.at_ms = going.now_ms().min(asked_ms).max(least_ms);
            going.stands = true;
        }
    }

    /// The store has taken what was asked of it at this service time: it goes on.
    pub(crate) fn go_on(&self, asked_ms: i64) {
        let mut going = self.0.lock();
        going.written_ms = going.written_ms.max(asked_ms);
        if going.stands {
            going.stands = false;
            going.since = now();
        }
    }

    pub(crate) fn stands(&self) -> bool {
        self.0.lock().stands
    }

    /// An alarm that is not set.
    pub(crate) fn alarm(&self) -> Alarm {
        Alarm {
            service: self.clone(),
            at_ms: None,
            runs_until_ms: None,
            sleep: None,
        }
    }
}

/// Goes off at a service time. It may be set as often as one likes: a timer is set anew only
/// when it is found to be too late, or, once it has gone off, to have been too early.
#[derive(Debug)]
pub(crate) struct Alarm {
    service: ServiceTime,
    at_ms: Option<i64>,
    /// When the timer goes off, if it runs.
    runs_until_ms: Option<i64>,
    /// Made when it is first needed: most alarms never are.
    sleep: Option<Pin<Box<Sleep>>>,
}

/// The longest that a timer runs, in milliseconds: a day. Then it is set anew.
const SLEEP_MS_MAX: i64 = 24 * 60 * 60 * 1_000;

impl Alarm {
    /// It is to go off at this service time, at once if that is past; never, for none.
    pub(crate) const fn set(&mut self, at_ms: Option<i64>) {
        self.at_ms = at_ms;
    }

    /// Waits until it goes off. It goes on doing so until it is set to later.
    pub(crate) async fn goes_off(&mut self) {
        let Some(at_ms) = self.at_ms else {
            return std::future::pending().await;
        };
        loop {
            // A timer that does not run for too long is left to run.
            let runs = self.runs_until_ms.is_some_and(|until| until <= at_ms);
            if let (true, Some(sleep)) = (runs, &mut self.sleep) {
                sleep.await;
                self.runs_until_ms = None;
            }
            let now_ms = self.service.now_ms();
            if now_ms >= at_ms {
                return;
            }
            let left_ms = at_ms.saturating_sub(now_ms).min(SLEEP_MS_MAX);
            let left = Duration::from_millis(left_ms.cast_unsigned());
            match &mut self.sleep {
                Some(sleep) => sleep.as_mut().reset(now() + left),
                None => self.sleep = Some(Box::pin(sleep(left))),
            }
            self.runs_until_ms = Some(now_ms + left_ms);
        }
    }
}

/// How long something takes, for those who watch the server, and for the way to a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(now())
    }

    pub(crate) fn milliseconds(&self) -> i64 {
        milliseconds(now().duration_since(self.0))
    }

    pub(crate) fn seconds(&self) -> f64 {
        now().duration_since(self.0).as_secs_f64()
    }
}

/// A bucket of tokens that fills by time: so many a second, up to a burst.
#[derive(Debug)]
pub(crate) struct Meter {
    a_second: f64,
    burst: f64,
    left: f64,
    read: Instant,
}

impl Meter {
    /// A full bucket.
    pub(crate) fn new(a_second: u32, burst: u32) -> Meter {
        Meter::full(f64::from(a_second), burst)
    }

    /// A full bucket that gains one in so many seconds.
    pub(crate) fn slow(seconds: u32, burst: u32) -> Meter {
        Meter::full(f64::from(seconds).recip(), burst)
    }

    fn full(a_second: f64, burst: u32) -> Meter {
        Meter {
            a_second,
            burst: f64::from(burst),
            left: f64::from(burst),
            read: now(),
        }
    }

    fn fill(&mut self) {
        let now = now();
        let gained = now.duration_since(self.read).as_secs_f64() * self.a_second;
        self.read = now;
        self.left = (self.left + gained).min(self.burst);
    }

    /// Is it full again?
    pub(crate) fn is_full(&mut self) -> bool {
        self.fill();
        self.left >= self.burst
    }

    /// Is there a token to be taken?
    pub(crate) fn has_one(&mut self) -> bool {
        self.fill();
        self.left >= 1.0
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self) -> bool {
        let enough = self.has_one();
        if enough {
            self.left -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_meter_fills_up_to_its_burst() {
        let mut meter = Meter::new(2, 3);
        let taken = |meter: &mut Meter| (0..10).filter(|_| meter.take()).count();
        assert_eq!(taken(&mut meter), 3);
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(taken(&mut meter), 1);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        assert_eq!(taken(&mut meter), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_meter_gains_one_in_some_seconds() {
        let mut meter = Meter::slow(2, 5);
        assert!(meter.is_full());
        assert_eq!((0..10).filter(|_| meter.take()).count(), 5);
        tokio::time::advance(Duration::from_millis(1_900)).await;
        assert!(!meter.take());
        tokio::time::advance(Duration::from_millis(200)).await;
        assert!(meter.take() && !meter.take());
        tokio::time::advance(Duration::from_millis(9_800)).await;
        assert!(!meter.is_full());
        tokio::time::advance(Duration::from_millis(200)).await;
        assert!(meter.is_full());
    }

    #[tokio::test(start_paused = true)]
    async fn service_time_goes_on_from_where_it_was() {
        let service = ServiceTime::going_on_from(5_000);
        assert_eq!(service.now_ms(), 5_000);
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(service.now_ms(), 5_250);
        assert_eq!(ServiceTime::going_on_from(i64::MAX).now_ms(), i64::MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn service_time_stands_while_nothing_can_be_written() {
        let service = ServiceTime::going_on_from(0);
        let pass = |ms| tokio::time::advance(Duration::from_millis(ms));
        pass(1_000).await;
        service.go_on(900);
        pass(1_000).await;
        // What was asked some time before is not charged either, but nothing goes back behind
        // what is on disk.
        service.stand_still(1_700);
        assert!(service.stands());
        pass(60_000).await;
        service.stand_still(1_800);
        assert_eq!(service.now_ms(), 1_700);
        service.go_on(1_700);
        pass(300).await;
        assert_eq!(service.now_ms(), 2_000);
        service.stand_still(5);
        assert_eq!(service.now_ms(), 1_700);
    }

    /// What it is set to, a second apart, and when it then goes off.
    #[tokio::test(start_paused = true)]
    async fn an_alarm_goes_off_when_it_was_last_set_to() {
        const NEVER: Option<i64> = None;
        let day = SLEEP_MS_MAX;
        let cases: [(&[Option<i64>], Option<i64>); 7] = [
            (&[Some(10_000)], Some(10_000)),
            // Later, and later again.
            (&[Some(4_000), Some(8_000), Some(12_000)], Some(12_000)),
            // Earlier than the timer that runs.
            (&[Some(20_000), Some(5_000)], Some(5_000)),
            (&[Some(20_000), NEVER, Some(7_000)], Some(7_000)),
            (&[Some(5_000), NEVER], NEVER),
            // In the past: at once.
            (&[Some(9_000), Some(500)], Some(1_000)),
            (&[Some(14 * day)], Some(14 * day)),
        ];
        for (set, expected) in cases {
            let service = ServiceTime::going_on_from(0);
            let mut alarm = service.alarm();
            let (last, others) = set.split_last().unwrap();
            for at_ms in others {
                alarm.set(*at_ms);
                let second = Duration::from_secs(1);
                let early = tokio::time::timeout(second, alarm.goes_off()).await;
                assert!(early.is_err(), "{set:?}");
            }
            alarm.set(*last);
            let long = Duration::from_millis(20 * day.cast_unsigned());
            let went = tokio::time::timeout(long, alarm.goes_off()).await;
            assert_eq!(went.ok().map(|()| service.now_ms()), expected, "{set:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn simulated_time_goes_with_the_runtime() {
        let clock = Clock::simulated();
        tokio::time::advance(Duration::from_millis(1_234)).await;
        assert_eq!(clock.now_ms(), SIMULATED_FROM_MS + 1_234);
    }
}
