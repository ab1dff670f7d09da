-- Sealed secrets of the store itself, as `secrets` for listings. There is one store; its uid is the
-- one that the values are bound to. The previous version does not read them.
create table store_secrets (
  store_uid uuid not null,
  field text not null,
  key_version int not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (store_uid, field)
);
