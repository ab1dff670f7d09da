-- Whose objects are in the object store, and whether this database may remove any. The store has a
-- marker with the same catalog and one of the tokens. A database that does not know the token of
-- the marker is older than the last one that wrote it: a restored copy. The previous version
-- ignores these tables.
create table storage_owner (
  only_row boolean primary key default true check (only_row),
  catalog_uid uuid not null default gen_random_uuid(),
  -- The server and database as of the last renewal; null where they cannot be read.
  system_identifier text,
  timeline int,
  database_oid bigint,
  -- Why nothing is removed at the moment.
  refusal text,
  refused_at timestamptz
);
insert into storage_owner default values;

create table storage_owner_tokens (
  token uuid primary key,
  written_at timestamptz not null default now()
);
create index on storage_owner_tokens (written_at);

-- The last run of every sweep that removes objects without a record.
create table storage_sweeps (
  name text primary key,
  objects bigint not null,
  orphans bigint not null,
  ran_at timestamptz not null default now(),
  -- It would have removed too many, and waits for an operator.
  refused_at timestamptz,
  -- Until then an operator allows it to remove any number.
  allowed_until timestamptz
);
