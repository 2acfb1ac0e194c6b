import { databaseCodes } from './database.ts'
import { firewallCodes } from './firewall.ts'
import { instanceCodes } from './instance.ts'
import { instanceCheckoutCodes } from './instance-checkout.ts'
import { instancePublicCodes } from './instance-public.ts'
import { instanceRoutingCodes } from './instance-routing.ts'
import { nodeCodes } from './node.ts'
import { processCodes } from './process.ts'
import { projectCodes } from './project.ts'
import { roleCodes } from './role.ts'
import { scheduleCodes } from './schedule.ts'
import { routeCodes } from './route.ts'
import { toolCodes } from './tool.ts'
import type { DoctorCodeSpec } from './types.ts'

export * from './types.ts'

/** Every code that a report can hold. Families whose records do not exist yet have none. */
export const doctorCodes = {
  ...nodeCodes,
  ...roleCodes,
  ...projectCodes,
  ...instanceCodes,
  ...instanceRoutingCodes,
  ...instancePublicCodes,
  ...instanceCheckoutCodes,
  ...scheduleCodes,
  ...toolCodes,
  ...processCodes,
  ...firewallCodes,
  ...databaseCodes,
  ...routeCodes,
} as const satisfies Record<`${string}.${string}`, DoctorCodeSpec>

export type DoctorCode = keyof typeof doctorCodes
