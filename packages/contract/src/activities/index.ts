import { activityList } from './list.ts'
import { activityShow } from './show.ts'

export type { ActivityNotice } from './events.ts'
export * from './records.ts'
export const activityOperations = { activityList, activityShow }
