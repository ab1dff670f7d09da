-- A deleted listing that has players can be restored for seven days. Until then its row stays in
-- all_listings, and keeps its name reserved; the view listings, which all queries read and write,
-- has only the others. The previous version uses the view in the same way as the table before, so
-- a deleted listing does not exist for it either.
--
-- Later migrations refer to all_listings: in foreign keys, in triggers, and to add a column. After
-- adding one, they repeat this view with "create or replace".
alter table listings rename to all_listings;

alter table all_listings add column deleted_at timestamptz;

create index all_listings_deleted on all_listings (deleted_at) where deleted_at is not null;

create view listings as
select *
from all_listings
where deleted_at is null;

-- The pages that a listing is linked with show it no longer, or again.
create trigger touch_linked_on_removal after update on all_listings for each row
  when (old.deleted_at is distinct from new.deleted_at)
  execute function touch_linked_listings();

-- When the person last proved with a password that the session is theirs; null for the sign-in
-- itself.
alter table sessions add column proved_at timestamptz;
