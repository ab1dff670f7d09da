-- A build is one (app, version, build_type, os, arch, channel) of a game; the main app is ''.
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
  created_at timestamptz not null default now(),
  unique (game_uid, app, version, build_type, os, arch, channel)
);

create table files (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  build_uid uuid not null references builds on delete cascade,
  os text not null,
  arch text not null,
  channel text not null,
  filename text not null,
  size bigint not null,
  checksum text not null,
  scan text not null default 'scanning' check (scan in ('scanning', 'clean', 'infected', 'error')),
  uploaded_at timestamptz not null default now()
);
create index files_game on files (game_uid, scan);
