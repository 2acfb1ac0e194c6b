import * as z from 'zod'
import { id } from '../params.ts'
import { firewallRule } from './records.ts'

/** There is no `firewall.updated`: stored rules never change (EV-078). */
export const firewallEvents = {
  'firewall.created': { data: firewallRule, summary: 'A firewall rule was stored and applied on its Node.' },
  'firewall.deleted': {
    data: z.strictObject({ id, name: z.string() }),
    summary: 'A firewall rule was removed.',
  },
} as const
