/**
 * What lists say about the systems of the files that players can download. The system of a file
 * that names none is an empty string: it can be downloaded, but is no platform.
 */
export const platformFields = (systems: readonly string[]) => ({
  platforms: systems.filter((os) => os !== ''),
  has_browser_build: systems.includes('web'),
  has_downloads: systems.some((os) => os !== 'web'),
})
