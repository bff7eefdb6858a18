//! Does a server run at an address? For those who watch over it and have no `curl`.
//!
//! May know as much of HTTP as one request takes, never a part of the server.

use anyhow::{Context as _, bail};
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// How long each step may take: a server that runs answers at once.
const PATIENCE: Duration = Duration::from_secs(3);

/// The bytes of the answer that are looked at.
const BEGINNING: &[u8] = b"HTTP/1.1 200 ";

/// Asks the server that listens there whether it runs.
pub(crate) fn run(listen: SocketAddr) -> anyhow::Result<()> {
    let address = reachable(listen);
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)
        .with_context(|| format!("no server listens on {address}"))?;
    let answer = ask(&mut stream, address)
        .with_context(|| format!("what listens on {address} does not answer"))?;
    if answer != BEGINNING {
        bail!("what listens on {address} is not well, or no server of ours");
    }
    Ok(())
}

fn ask(stream: &mut TcpStream, address: SocketAddr) -> std::io::Result<[u8; BEGINNING.len()]> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let question = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(question.as_bytes())?;
    let mut answer = [0; BEGINNING.len()];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

/// Who listens on all addresses of a machine is reached by its own.
pub(crate) fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::net::TcpListener;

    /// What is said of something that answers so.
    fn asked_of(answer: &'static str) -> anyhow::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // All of it: what is left unread makes the system send a reset after the answer.
            let question: Vec<String> = BufReader::new(&stream)
                .lines()
                .map(Result::unwrap)
                .take_while(|line| !line.is_empty())
                .collect();
            assert_eq!(question[0], "GET /healthz HTTP/1.1");
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let found = run(SocketAddr::from(([0, 0, 0, 0], port)));
        server.join().unwrap();
        found
    }

    #[test]
    fn only_a_server_that_says_so_is_well() {
        asked_of("HTTP/1.1 200 OK\r\n\r\nok\n").unwrap();
        for answer in ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "SSH-2.0-x", ""] {
            let error = asked_of(answer).unwrap_err().to_string();
            assert!(error.starts_with("what listens on 127.0.0.1:"), "{error}");
        }
    }

    #[test]
    fn where_nobody_listens_nobody_is_well() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let error = run(address).unwrap_err().to_string();
        assert_eq!(error, format!("no server listens on {address}"));
    }
}
