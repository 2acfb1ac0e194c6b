import { commandErrors } from '../nodes/errors.ts'

/** What every change of the firewall of a Node can answer besides its own refusals. */
export const firewallChangeErrors = [
  'firewall.operation_busy',
  'firewall.platform_unsupported',
  'firewall.node_unreachable',
  'firewall.apply_failed',
  'firewall.verify_failed',
  'node.not_active',
  'node.capability_missing',
  'node.command_failed',
  'node.lock_lost',
  ...commandErrors,
] as const
