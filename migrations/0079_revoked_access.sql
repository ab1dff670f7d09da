-- Shared secrets of a listing that somebody could read who has no role any more. They count as
-- replaced when they are newer than this, or when the owner says so.
create table secret_exposures (
  uid uuid primary key default gen_random_uuid(),
  game_uid uuid not null references all_listings on delete cascade,
  user_uid uuid references users on delete set null,
  at timestamptz not null default now(),
  resolved_at timestamptz
);
create index secret_exposures_game on secret_exposures (game_uid) where resolved_at is null;
create index secret_exposures_user on secret_exposures (user_uid) where user_uid is not null;

create index deploy_keys_issuer on deploy_keys (issued_by) where revoked_at is null;
create index upload_sessions_uploader on upload_sessions (uploaded_by) where completed_at is null;

-- Ends everything that a person issued or could use for a listing, or for every listing: deploy
-- keys, agent keys and grants of apps that are bound to it, open uploads and open approvals. Returns
-- the kind of security event of each. Also notes the secrets that an admin could read. Runs in the
-- transaction in which the person loses the role, before it is gone.
create function revoke_access(person uuid, one_listing uuid)
returns table (event text, listing_uid uuid)
language plpgsql as $$
begin
  return query
    with revoked as (
      update deploy_keys k
      set revoked_at = now()
      where k.issued_by = person and k.revoked_at is null
        and (one_listing is null or k.game_uid = one_listing)
      returning k.game_uid)
    select 'deploy_key_revoked', r.game_uid from revoked r;
  return query
    with revoked as (
      delete from access_keys k
      where k.user_uid = person and k.game_uid is not null
        and (one_listing is null or k.game_uid = one_listing)
      returning k.game_uid)
    select 'key_revoked', r.game_uid from revoked r;
  return query
    with grants as (
      select g.id_hash
      from oauth_records g
      where g.kind = 'Grant' and g.user_uid = person and g.game_uid is not null
        and (one_listing is null or g.game_uid = one_listing)),
    revoked as (
      delete from oauth_records r
      using grants g
      where r.user_uid = person
        and (r.grant_hash = g.id_hash or (r.kind = 'Grant' and r.id_hash = g.id_hash))
      returning r.kind, r.game_uid)
    select 'grant_revoked', r.game_uid from revoked r where r.kind = 'Grant';
  return query
    with ended as (
      delete from upload_sessions s
      where s.uploaded_by = person and s.completed_at is null
        and (one_listing is null or s.game_uid = one_listing)
      returning s.game_uid)
    select 'upload_ended', e.game_uid from ended e;
  return query
    with ended as (
      update approvals a
      set expires_at = now()
      where a.user_uid = person and a.status in ('pending', 'approved') and a.expires_at > now()
        and a.game_uid is not null
        and (one_listing is null or a.game_uid = one_listing)
      returning a.game_uid)
    select 'approval_ended', e.game_uid from ended e;
  return query
    with exposed as (
      insert into secret_exposures (game_uid, user_uid)
      select a.game_uid, person
      from listing_admins a
      where a.user_uid = person and a.accepted_at is not null
        and (one_listing is null or a.game_uid = one_listing)
        and exists (
          select
          from secrets s
          where s.game_uid = a.game_uid
            and s.field in ('bug_signing_key', 'extstore auth key', 'extstore web api key'))
      returning secret_exposures.game_uid)
    select 'secrets_exposed', e.game_uid from exposed e;
end $$;
