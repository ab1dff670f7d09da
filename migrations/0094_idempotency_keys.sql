-- The answers to requests with an Idempotency-Key, so that a repeated request gets the first one.
-- `uid` is a hash of the kind of request, the caller and the key. The answer is sealed, because it
-- may contain links that open a file.
create table idempotency_keys (
  uid uuid primary key,
  fingerprint text not null,
  key_version integer not null,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
create index on idempotency_keys (created_at);
