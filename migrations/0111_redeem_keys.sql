-- Keys that give a copy of a listing to whoever redeems them.
create table key_batches (
  uid uuid primary key,
  game_uid uuid not null references all_listings on delete cascade,
  -- Null: a copy without an edition.
  edition_uid uuid references editions on delete set null,
  label text not null,
  size int not null check (size between 1 and 10000),
  created_by uuid references users on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index key_batches_game on key_batches (game_uid, uid);
create index key_batches_edition on key_batches (edition_uid);
create index key_batches_creator on key_batches (created_by);

-- The keys themselves are only shown when they are made.
create table redeem_keys (
  hash bytea primary key,
  batch_uid uuid not null references key_batches on delete cascade,
  redeemed_by uuid references users on delete set null,
  redeemed_at timestamptz
);
create index redeem_keys_batch on redeem_keys (batch_uid);
create index redeem_keys_person on redeem_keys (redeemed_by);

-- A copy can come from a key. The check is wider than before, so every row satisfies it.
alter table licences drop constraint licences_source_check;
alter table licences add constraint licences_source_check
  check (source in ('purchase', 'free', 'grant', 'key')) not valid;
alter table licences validate constraint licences_source_check;
