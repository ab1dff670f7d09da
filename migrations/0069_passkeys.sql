create table passkeys (
  uid uuid primary key,
  user_uid uuid not null references users on delete cascade,
  -- As the browser names it, in base64url.
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_uid);

-- Challenges are signed and stored nowhere until an answer to them was accepted: then no second
-- answer is.
create table used_challenges (
  nonce uuid primary key,
  expires_at timestamptz not null
);
create index used_challenges_expiry on used_challenges (expires_at);

create or replace function take_ways_in() returns trigger language plpgsql as $$
begin
  delete from access_keys where user_uid = new.uid;
  delete from oauth_records where user_uid = new.uid;
  update deploy_keys set revoked_at = now() where issued_by = new.uid and revoked_at is null;
  delete from totp_factors where user_uid = new.uid;
  delete from account_secrets where user_uid = new.uid;
  delete from recovery_codes where user_uid = new.uid;
  delete from passkeys where user_uid = new.uid;
  return null;
end $$;
