-- The browsers that a person signed in with. A browser has a random token in a cookie. The account
-- is part of what is hashed, so that nobody can tell which accounts share a browser.
create table known_devices (
  user_uid uuid not null references users on delete cascade,
  device_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (user_uid, device_hash)
);

-- Where a session was opened, as far as its owner needs it to recognize the session. Sessions that
-- were opened before have none of it, and count as used when this runs.
alter table sessions
  add column last_used_at timestamptz not null default now(),
  add column device_hash bytea,
  add column browser text,
  add column system text,
  add column country text,
  add column network text;
