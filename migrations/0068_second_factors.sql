-- Sealed secrets of people, as `secrets` for listings.
create table account_secrets (
  user_uid uuid not null references users on delete cascade,
  field text not null,
  key_version int not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (user_uid, field)
);

-- The authenticator app of a person; its secret is the field `totp` of account_secrets. It counts
-- once a code confirmed it. `last_step` is the time step of the newest code that was used, so that
-- no code works twice.
create table totp_factors (
  user_uid uuid primary key references users on delete cascade,
  started_at timestamptz not null default now(),
  confirmed_at timestamptz,
  last_step bigint not null default 0
);

create table recovery_codes (
  user_uid uuid not null references users on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (user_uid, code_hash)
);

-- A password set with a mailed link is the first proof of an address that was never verified. The
-- second factor of whoever signed up with that address ends with the other credentials.
create or replace function take_ways_in() returns trigger language plpgsql as $$
begin
  delete from access_keys where user_uid = new.uid;
  delete from oauth_records where user_uid = new.uid;
  update deploy_keys set revoked_at = now() where issued_by = new.uid and revoked_at is null;
  delete from totp_factors where user_uid = new.uid;
  delete from account_secrets where user_uid = new.uid;
  delete from recovery_codes where user_uid = new.uid;
  return null;
end $$;
