-- Sweeps find stored content by hash or by rule, and the hashes that moderators block are refused
-- in later uploads. The previous version does not know them: it accepts blocked content.

create table sweeps (
  uid uuid primary key,
  -- What the sweep looks for: SHA-256 hashes of files and of their entries, or a YARA rule.
  hashes bytea[],
  rule text,
  created_by uuid references users on delete set null,
  created_at timestamptz not null default now(),
  -- The progress of a rule: how many files it scans, how many it has scanned, and the last of them.
  files int not null default 0,
  files_scanned int not null default 0,
  -- Those of them that could not be scanned.
  files_failed int not null default 0,
  last_file_uid uuid,
  finished_at timestamptz,
  quarantined_at timestamptz,
  check ((hashes is null) <> (rule is null))
);
create index sweeps_newest on sweeps (created_at desc, uid desc);
create index sweeps_creator on sweeps (created_by) where created_by is not null;

create table sweep_matches (
  sweep_uid uuid not null references sweeps on delete cascade,
  file_uid uuid not null references files on delete cascade,
  -- The position of the entry in its file; 0 and no path for the whole file.
  position int not null,
  path text,
  sha256 bytea not null,
  primary key (sweep_uid, file_uid, position)
);
create index sweep_matches_file on sweep_matches (file_uid);

create table blocked_hashes (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  sweep_uid uuid references sweeps on delete set null,
  blocked_by uuid references users on delete set null,
  blocked_at timestamptz not null default now()
);
create index blocked_hashes_newest on blocked_hashes (blocked_at desc, sha256);
create index blocked_hashes_sweep on blocked_hashes (sweep_uid);
create index blocked_hashes_person on blocked_hashes (blocked_by) where blocked_by is not null;

-- Together with file_entries_content, which has the larger entries, every entry by its hash.
create index if not exists file_entries_small_content on file_entries (sha256) where size < 1024;
create index if not exists files_content on files (checksum);
