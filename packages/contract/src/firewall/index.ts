import { nodeFirewallAllow, nodeFirewallDeny } from './add.ts'
import { nodeFirewallCallers } from './callers.ts'
import { nodeFirewallLive, nodeFirewallManaged } from './inspect.ts'
import { firewallList, nodeFirewallList } from './list.ts'
import { nodeFirewallRemove } from './remove.ts'

export * from './records.ts'
export { normalizeSource } from './source.ts'
export const firewallOperations = {
  firewallList,
  nodeFirewallList,
  nodeFirewallAllow,
  nodeFirewallDeny,
  nodeFirewallRemove,
  nodeFirewallManaged,
  nodeFirewallLive,
  nodeFirewallCallers,
}
