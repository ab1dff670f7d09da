-- What pages know about the content of an image before its renditions load. A row is made with the
-- first renditions of the image and removed with its content. The previous version neither reads
-- nor writes it.
create table image_previews (
  sha256 text primary key,
  -- The version of the encoder settings. A row of another version is made again.
  encoder integer not null,
  -- False if the stored bytes cannot be decoded: then pages show the original.
  decodable boolean not null,
  -- A tiny image as a data URL. Empty for an image that is transparent or cannot be decoded.
  placeholder text not null,
  created_at timestamptz not null default now()
);
