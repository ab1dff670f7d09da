-- New signatures of the scanner, with which recent files are scanned again. The previous version
-- does not scan files again.
create table signature_updates (
  uid uuid primary key,
  engine text not null,
  version text not null,
  seen_at timestamptz not null default now(),
  -- The progress: how many files were scanned again, how many were rejected, and the last of them.
  files_scanned int not null default 0,
  files_rejected int not null default 0,
  last_file_uid uuid,
  -- Null while files are scanned again. The first version that is seen needs no scan.
  finished_at timestamptz,
  unique (engine, version)
);
