export { type CaddySettings, renderCaddyfile } from '#/web-server/caddyfile/render.ts'
export { caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
export type { BuildStage, Publisher } from '#/web-server/failures.ts'
export { makeWebServer, type WebServerDeps } from '#/web-server/make.ts'
export type { LocalWebServers } from '#/web-server/local.ts'
export type { SiteSource } from '#/web-server/ports.ts'
export {
  judgeSites,
  obtainsCertificate,
  leadElsewhere,
  liveSitesQuestion,
  type LiveSites,
  PRINT_SITES,
  type PublishedSites,
  publishedSites,
  readLiveSites,
  siteCheck,
  type SiteName,
} from '#/web-server/checks/site.ts'
export { CADDY_UNIT, LOCAL_SITES, ROOT_FILE } from '#/web-server/service/caddy.ts'
export { settleSites } from '#/web-server/rules.ts'
export { ACCESS_LOGS, AWAKE_MARKERS } from '#/web-server/site.ts'
export type * from '#/web-server/site.ts'
export type { WebServer } from '#/web-server/web-server.ts'
