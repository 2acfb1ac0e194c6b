/** What both changes of an attachment can answer. */
export const attachmentErrors = [
  'env.owner_unavailable',
  'env.operation_busy',
  'instance.placement_unavailable',
  'instance.source_profile_missing',
  'instance.transfer_incomplete',
  'node.lock_lost',
] as const
