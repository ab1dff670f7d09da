-- The session that sets up an authenticator app. Another one gets another secret, so that nobody
-- who had a session before knows the secret of what is set up later.
alter table totp_factors add column session_uid uuid;

-- Ends what whoever took an account over since a moment could use or leave to others: deploy keys,
-- open uploads and open approvals, and the roles of people who were invited to its listings since,
-- with what those issued. Returns the kind of security event of each, its listing and its person.
create function revoke_access_since(person uuid, since timestamptz)
returns table (event text, listing_uid uuid, of_person uuid)
language plpgsql as $$
declare
  invited record;
begin
  perform from all_listings l where l.owner_uid = person order by l.uid for no key update;
  return query
    with revoked as (
      update deploy_keys k
      set revoked_at = now()
      where k.issued_by = person and k.revoked_at is null and k.created_at >= since
      returning k.game_uid)
    select 'deploy_key_revoked', r.game_uid, person from revoked r;
  return query
    with ended as (
      delete from upload_sessions s
      where s.uploaded_by = person and s.completed_at is null
      returning s.game_uid)
    select 'upload_ended', e.game_uid, person from ended e;
  return query
    with ended as (
      update approvals a
      set expires_at = now()
      where a.user_uid = person and a.status in ('pending', 'approved') and a.expires_at > now()
      returning a.game_uid)
    select 'approval_ended', e.game_uid, person from ended e;
  for invited in
    select a.game_uid, a.user_uid
    from listing_admins a
    join all_listings l on l.uid = a.game_uid
    where l.owner_uid = person and a.invited_at >= since
  loop
    return query
      select r.event, r.listing_uid, invited.user_uid
      from revoke_access(invited.user_uid, invited.game_uid) r;
    delete from listing_admins a
    where a.game_uid = invited.game_uid and a.user_uid = invited.user_uid;
    return query select 'admin_removed', invited.game_uid, invited.user_uid;
  end loop;
end $$;
