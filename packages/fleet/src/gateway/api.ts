import type { HandlersOf } from '#/handler.ts'
import { type StatusParts, makeStatus } from './status.ts'
import { type TrustParts, makeTrust } from './trust.ts'

/** What anybody may ask of the gateway itself, without an identity (GW-006). */
export const makeGatewayFacts = (
  parts: StatusParts & TrustParts,
): { readonly handlers: HandlersOf<'gateway:status' | 'gateway:trust'> } => ({
  handlers: { 'gateway:status': makeStatus(parts), 'gateway:trust': makeTrust(parts) },
})
