-- What a game's owner chose for its bug reporter; a game without a row has the defaults.
create table bug_reporters (
  game_uid uuid primary key references listings on delete cascade,
  enabled boolean not null default false,
  daily_cap int not null default 10 check (daily_cap between 1 and 10000),
  webhook_urls text[] not null default '{}',
  updated_at timestamptz not null default now()
);

create table bugs (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  source text not null check (source in ('game', 'store')),
  -- Who filed it: an account, an account of the external store, or both when they are linked.
  user_uid uuid references users on delete set null,
  extstore_id text,
  message text not null,
  client_version text,
  os text,
  arch text,
  -- As the game sent it: the build may be gone by now.
  build_id uuid,
  -- The crashes that this is about, when a developer saw that.
  crash_group_uid uuid references crash_groups on delete set null,
  has_log boolean not null,
  screenshot_type text,
  screenshot_size bigint,
  status text not null default 'open' check (status in ('open', 'fixed', 'closed')),
  fixed_at timestamptz,
  fixed_build_uid uuid references builds on delete set null,
  fixed_version text,
  -- There while the filer has something to be told; a ticket that is fixed again tells them again.
  notice_uid uuid unique,
  acknowledged_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index bugs_newest on bugs (game_uid, created_at desc, uid desc);
create index bugs_status on bugs (game_uid, status, created_at desc, uid desc);
create index bugs_crash_group on bugs (crash_group_uid) where crash_group_uid is not null;
create index bugs_user_notices on bugs (user_uid, game_uid) where notice_uid is not null and acknowledged_at is null;
create index bugs_extstore_notices on bugs (extstore_id, game_uid) where notice_uid is not null and acknowledged_at is null;

-- Apart, so that lists of tickets never carry them.
create table bug_logs (
  bug_uid uuid primary key references bugs on delete cascade,
  text text not null
);

-- How many reports someone filed for a game on a day (UTC): counted in the transaction that files one.
create table bug_counts (
  game_uid uuid not null references listings on delete cascade,
  reporter text not null,
  day date not null,
  count int not null,
  primary key (game_uid, reporter, day)
);
create index bug_counts_day on bug_counts (day);

-- One address that a game's reports go to, with how it is doing. It outlives the settings that named it, until its deliveries are over.
create table bug_receivers (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  url text not null,
  -- The one job that walks its deliveries, now or later. Any other that comes is not meant any more.
  job uuid,
  -- When that job begins, if not at once.
  wake_at timestamptz,
  failures int not null default 0,
  failing_since timestamptz,
  -- While it is in trouble: when it is tried again. Those set aside have times of their own.
  resume_at timestamptz,
  disabled_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  unique (game_uid, url)
);

create table bug_deliveries (
  -- Given out while the receiver's row is locked, so this is the order in which its reports were filed.
  seq bigint generated always as identity primary key,
  uid uuid not null unique,
  receiver_uid uuid not null references bug_receivers on delete cascade,
  bug_uid uuid not null references bugs on delete cascade,
  kind text not null check (kind in ('json', 'chat')),
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  -- Refused while others arrive: it no longer holds them up, and is tried at times of its own.
  aside boolean not null default false,
  next_attempt_at timestamptz,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  response_status int,
  error text,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index bug_deliveries_pending on bug_deliveries (receiver_uid, seq) where status = 'pending';
create index bug_deliveries_receiver on bug_deliveries (receiver_uid, seq desc);
create index bug_deliveries_bug on bug_deliveries (bug_uid);
create index bug_deliveries_finished on bug_deliveries (finished_at) where finished_at is not null;
