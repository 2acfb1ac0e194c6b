import type { Store } from '@fleet/store'
import { findRule, type RuleRecord } from '#/firewall/queries.ts'
import type { LocatorsOf } from '#/handler.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly 'firewall-rules/{name}': RuleRecord
  }
}

export type FirewallLocators = LocatorsOf<'firewall-rules/{name}'>

export const makeFirewallLocators = ({ db }: Store): FirewallLocators => ({
  'firewall-rules/{name}': async (name, { node }) => node && findRule(db, node.id, name),
})
