-- While the store does not allow adult content, adult listings are visible to their owners only;
-- this is what they were before: invisible or public. The previous version does not read it.
alter table all_listings add column withheld_visibility text;
create or replace view listings as
select *
from all_listings
where deleted_at is null;

create index if not exists all_listings_withheld on all_listings (uid)
  where withheld_visibility is not null;
