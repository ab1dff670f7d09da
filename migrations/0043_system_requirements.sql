-- What a listing needs on each operating system: a list of {"os", "minimum", "recommended"}. It has
-- a default, so that the previous version can go on inserting listings without it.
alter table all_listings add column system_requirements jsonb not null default '[]';

create or replace view listings as
select *
from all_listings
where deleted_at is null;
