-- Pages sum the changes of a listing, so there must not be many. What one transaction does to a listing is one change, however many rows it moves.
create function leave_one_change() returns trigger language plpgsql as $$
begin
  if (select xid from listing_changes where game_uid = new.game_uid order by seq desc limit 1) = pg_current_xact_id() then
    return null;
  end if;
  return new;
end $$;
create trigger leave_one before insert on listing_changes for each row execute function leave_one_change();

-- Many changes are put together as one new one, which whoever follows them sees, wherever they are. The newest is part of what is compared: with it, a
-- sum that comes to be again is not taken for what it was.
create or replace function page_freshness(uid uuid, version bigint) returns text language sql stable as
  $$ select version || '.' || coalesce(sum(c.seq), 0) || '.' || coalesce(max(c.seq), 0) || '.' ||
       (select count(*) from channels e where e.game_uid = page_freshness.uid and e.expires_at <= now())
     from listing_changes c where c.game_uid = page_freshness.uid $$;
