create table deploy_keys (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  issued_by uuid references users on delete set null,
  -- What may be shown of the access token: its kind and eight characters.
  prefix text not null,
  token_hash bytea not null unique,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
-- One pair works at a time: issuing another revokes it.
create unique index deploy_keys_current on deploy_keys (game_uid) where revoked_at is null;

-- The programs of a project besides its main one (''), such as a dedicated server.
create table apps (
  game_uid uuid not null references listings on delete cascade,
  app text not null,
  name text not null default '',
  created_at timestamptz not null default now(),
  primary key (game_uid, app)
);

-- A build is one (app, version, build_type, os, arch, channel) of a game; the main app is '', a platform not yet known too.
create table builds (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  app text not null default '',
  version text not null,
  build_type text not null default 'game',
  os text not null default '',
  arch text not null default '',
  channel text not null default 'stable',
  title text not null default '',
  description text not null default '',
  engine_version text,
  demo_url text not null default '',
  changelog_items jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (game_uid, app, version, build_type, os, arch, channel)
);
create index builds_newest on builds (game_uid, created_at desc, uid desc);

create table files (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  os text not null,
  arch text not null,
  channel text not null,
  filename text not null,
  size bigint not null,
  -- SHA-256 of the zip, in hex.
  checksum text not null,
  scan text not null default 'scanning' check (scan in ('scanning', 'clean', 'infected', 'error')),
  scanned_at timestamptz,
  -- When the scanner says so: infected and failed files keep their record, not their bytes.
  bytes_removed_at timestamptz,
  -- Where it came from, for provenance: never a secret.
  method text not null check (method in ('deploy_key', 'website')),
  key_ref text,
  uploaded_by uuid references users on delete set null,
  uploaded_at timestamptz not null default now()
);
create index files_game on files (game_uid, scan);
create index files_build on files (build_uid);

-- What a zip holds, with the SHA-256 of each file inside once it was read.
create table file_entries (
  file_uid uuid not null references files on delete cascade,
  position int not null,
  path text not null,
  size bigint not null,
  sha256 bytea,
  primary key (file_uid, position)
);
create index file_entries_content on file_entries (sha256) where size >= 1024;

create table scan_history (
  seq bigint generated always as identity primary key,
  file_uid uuid not null references files on delete cascade,
  state text not null,
  engine text not null,
  detail text,
  at timestamptz not null default now()
);
create index scan_history_file on scan_history (file_uid, seq);

-- A channel of an app, once something happened on it; past its end it is hidden from players.
create table channels (
  game_uid uuid not null references listings on delete cascade,
  app text not null,
  channel text not null,
  expires_at timestamptz,
  primary key (game_uid, app, channel)
);

-- What a channel points at, per platform. The stack below is what rolling back returns to.
create table channel_heads (
  game_uid uuid not null references listings on delete cascade,
  app text not null,
  channel text not null,
  os text not null,
  arch text not null,
  build_uid uuid not null references builds on delete cascade,
  previous uuid[] not null default '{}',
  moved_at timestamptz not null default now(),
  primary key (game_uid, app, channel, os, arch)
);
create index channel_heads_build on channel_heads (build_uid);

create table channel_history (
  seq bigint generated always as identity primary key,
  game_uid uuid not null references listings on delete cascade,
  app text not null,
  channel text not null,
  os text not null,
  arch text not null,
  event text not null check (event in ('upload', 'promote', 'rollback', 'delete')),
  -- Builds may be gone by now; what happened stays told.
  build_uid uuid,
  version text,
  from_build_uid uuid,
  -- The file whose clean scan moved the channel: one file moves it once.
  file_uid uuid,
  by_user uuid references users on delete set null,
  at timestamptz not null default now()
);
create index channel_history_newest on channel_history (game_uid, app, channel, seq desc);
create unique index channel_history_once on channel_history (file_uid) where event = 'upload';

-- Players who joined the beta of a game; everyone else is on stable.
create table player_channels (
  user_uid uuid not null references users on delete cascade,
  game_uid uuid not null references listings on delete cascade,
  channel text not null check (channel = 'beta'),
  joined_at timestamptz not null default now(),
  primary key (game_uid, user_uid)
);

-- Debug symbols of a build (Breakpad), for reading crash reports; owner and admins only.
create table symbols (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  module_name text not null,
  debug_id text not null,
  os text not null,
  arch text not null,
  size bigint not null,
  checksum text not null,
  created_at timestamptz not null default now(),
  unique (build_uid, module_name, debug_id)
);

-- A resumable upload. Bytes below current_size are on the disk; the file's uid is chosen at the start so that finishing twice is finishing once.
create table upload_sessions (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  file_uid uuid not null unique,
  os text not null,
  arch text not null,
  channel text not null,
  filename text not null,
  total_size bigint not null,
  current_size bigint not null default 0,
  checksum text not null,
  method text not null,
  key_ref text,
  uploaded_by uuid references users on delete set null,
  -- Whose chunk is being received, and until when that is believed without news.
  holder uuid,
  held_until timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index upload_sessions_open on upload_sessions (game_uid) where completed_at is null;
create index upload_sessions_expiry on upload_sessions (expires_at);

-- Every attempt to download, refused ones too; the address of whoever asked is nowhere.
create table download_attempts (
  seq bigint generated always as identity primary key,
  game_uid uuid not null references listings on delete cascade,
  file_uid uuid,
  build_uid uuid,
  channel text not null,
  user_uid uuid references users on delete set null,
  source text not null,
  access text not null,
  client text not null,
  client_version text,
  outcome text not null,
  licence_granted boolean not null default false,
  country text,
  referrer_host text,
  at timestamptz not null default now()
);
create index download_attempts_game on download_attempts (game_uid, at desc);

create trigger touch after insert or update or delete on builds for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on files for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on channels for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on channel_heads for each row execute function touch_own_listing();
