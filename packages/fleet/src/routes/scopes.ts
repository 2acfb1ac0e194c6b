import type { RouteRow } from '#/routes/record.ts'

/** Account that the web server of Debian runs as. */
export const CADDY = 'caddy'

/** Names the leaf of a custom proxy and of a Route with a web root (RTX-098). */
export const proxyScope = ({ id }: Pick<RouteRow, 'id'>): string => `route-${id}`

const ROUTER = '-router'

/** Names the certificate that a Router presents: its key is not that of the workload (RTX-097, RTX-098). */
export const routerScope = ({ id }: Pick<RouteRow, 'id'>): string => `${proxyScope({ id })}${ROUTER}`
export const isRouterScope = (scope: string): boolean => scope.endsWith(ROUTER)

/** Names the public site of a Route; its certificate is none of the fleet. */
export const ingressScope = ({ id }: Pick<RouteRow, 'id'>): string => `${proxyScope({ id })}-ingress`
