-- Links with which the first operator of a store is made. Only hashes of their tokens are stored.
-- The previous release does not read them.
create table setup_links (
  uid uuid primary key,
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
