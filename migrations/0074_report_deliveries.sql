-- What the webhook of operators is sent: one delivery per report. A pending delivery is due at
-- next_attempt_at; a worker that sends it moves that time, so that no other sends it meanwhile.
-- The previous version does not read this table.
create table report_deliveries (
  uid uuid primary key,
  report_uid uuid not null unique references reports (uid) on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  response_status int,
  error text,
  created_at timestamptz not null default now(),
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz default now(),
  finished_at timestamptz
);

create index report_deliveries_due on report_deliveries (next_attempt_at)
  where status = 'pending';
create index report_deliveries_failed on report_deliveries (finished_at)
  where status = 'failed';
