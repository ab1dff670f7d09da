-- Objects are read again from time to time and compared with their SHA-256.

-- How far the current pass over all objects is, and which worker does it until when.
create table scrub_state (
  only_row boolean primary key default true check (only_row),
  source text,
  after_uid uuid,
  started_at timestamptz,
  finished_at timestamptz,
  objects bigint not null default 0,
  bytes bigint not null default 0,
  lease uuid,
  lease_until timestamptz
);
insert into scrub_state default values;

-- The hash of objects whose record has none, as they were when they were first read.
create table object_hashes (
  key text primary key,
  size bigint not null,
  sha256 text not null,
  checked_at timestamptz not null default now()
);

create table damaged_objects (
  key text primary key,
  record text not null,
  problem text not null check (problem in ('missing', 'size', 'content')),
  found_at timestamptz not null default now(),
  repaired_at timestamptz,
  repaired_from text
);
