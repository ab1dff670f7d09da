-- Secrets that must be readable again, sealed under a key that is not in the database.
create table secrets (
  game_uid uuid not null,
  field text not null,
  key_version int not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (game_uid, field)
);
