-- What an image shows, for people who cannot see it. The previous version inserts images without it.
alter table listing_images add column alt text not null default '';
