import { environmentPathOf } from '#/instances/places.ts'
import { isProduction } from '#/instances/production/home.ts'
import type { InstanceRecord } from '#/instances/record.ts'
import { withoutGlobs, withoutSpecifiers } from '#/managed-services/api.ts'

/**
 * What a unit says of the `.env` of its Instance: systemd reads it at every start, so that a synchronized change needs a restart
 * alone. Nothing in production, where the command reads it as the user who may change it (decision 0312).
 */
export const environmentLinesOf = (instance: InstanceRecord | undefined): readonly string[] =>
  instance === undefined || isProduction(instance)
    ? []
    : [`EnvironmentFile=-${withoutSpecifiers(withoutGlobs(environmentPathOf(instance)))}`]
