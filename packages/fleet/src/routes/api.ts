export { makeRoutes, type RoutesDomain, type RoutesParts } from './make.ts'
export { makeRouteLocators } from '#/routes/locators.ts'
export { makeSiteSource } from '#/routes/sites.ts'
export type { RouteRecord } from '#/routes/record.ts'
