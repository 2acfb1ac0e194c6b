import type { GatewayEnv } from './env.ts'

/** DNS names of the HTTPS certificate. */
export const gatewayNames = (env: GatewayEnv): readonly string[] => [`gateway.${env.FLEET_APP_DEV_DOMAIN}`]
