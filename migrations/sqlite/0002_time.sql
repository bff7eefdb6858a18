-- Time: since when the service is up, and when something in a match is due by itself.
--
-- Both are service time: the milliseconds during which the service was up, over all its
-- processes. So while it is down nobody's time goes by, and nothing has to be touched when it
-- starts again.

-- How far the service time had come at the last commit that knew of it; it goes on from there.
alter table commits add column service_ms integer not null default 0;

-- When something is due by itself after this event, should nothing else happen before; null
-- where nothing is. Of a match the last row counts.
alter table log add column deadline_ms integer;
