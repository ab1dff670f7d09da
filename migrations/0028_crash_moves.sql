-- The group that the last crash of this one went to, said right before this one goes: the tickets that name it go along.
alter table crash_groups add column moved_to uuid;

create function move_tickets_along() returns trigger language plpgsql as $$
begin
  update bugs set crash_group_uid = old.moved_to where crash_group_uid = old.uid;
  return old;
end $$;
create trigger move_tickets before delete on crash_groups for each row when (old.moved_to is not null) execute function move_tickets_along();
