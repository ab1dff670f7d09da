-- What developers wrote in other languages: {"de": {"tagline": "…", "description": "…"}}. The
-- default lets the previous version go on inserting listings.
alter table all_listings add column translations jsonb not null default '{}';

create or replace view listings as
select *
from all_listings
where deleted_at is null;
