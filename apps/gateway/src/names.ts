import type { GatewayEnv } from './env.ts'

/** DNS names of the HTTPS certificate, the private one first. */
export const gatewayNames = (env: GatewayEnv): readonly [string, ...string[]] => [
  `gateway.${env.FLEET_APP_DEV_DOMAIN}`,
  ...env.FLEET_GATEWAY_NAMES,
]

/** Names that requests may have in `Host` without being in the certificate: a proxy in front of the gateway has its own. */
export const proxyNames = ({ FLEET_GATEWAY_VERIFY_ORIGIN: origin }: GatewayEnv): readonly string[] =>
  origin === undefined ? [] : [new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1')]
