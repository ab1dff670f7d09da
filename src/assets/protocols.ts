/**
 * Editors speak one of two protocols, over the same packages:
 * - asset library (`library/`): editors 3.0 to 4.6. Packages have numbers, pages count from 0.
 * - asset store (`store/`): editors 4.7 and later. Packages are named by publisher and slug, pages
 *   count from 1, and every URL ends with a slash.
 */
export const LIBRARY = '/api/v1/public/asset-library'
export const STORE = '/api/v1/public/asset-store'
