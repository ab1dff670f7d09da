-- People who look after the service itself. Made and unmade by the administrator's commands only, never over HTTP.
create table operators (
  user_uid uuid primary key references users on delete cascade,
  made_at timestamptz not null default now()
);
