import type { RouteRow } from '#/routes/record.ts'

/** Account that the web server of Debian runs as. */
export const CADDY = 'caddy'

/** Names the leaf of a custom proxy and of a Route with a web root (RTX-098). */
export const proxyScope = ({ id }: Pick<RouteRow, 'id'>): string => `route-${id}`
