-- Somebody may have signed up with the address of another. A password set with a link from the mail is the first thing that its owner does to such an account,
-- and the only way in that it leaves open: what the stranger made is taken away. A typed code proves the address as well, but leaves the password as it was.
create function take_ways_in() returns trigger language plpgsql as $$
begin
  delete from access_keys where user_uid = new.uid;
  delete from oauth_records where user_uid = new.uid;
  update deploy_keys set revoked_at = now() where issued_by = new.uid and revoked_at is null;
  return null;
end $$;
create trigger take_ways_in after update of password_hash on users for each row
  when (old.email_verified_at is null and new.email_verified_at is not null and old.password_hash <> new.password_hash)
  execute function take_ways_in();
