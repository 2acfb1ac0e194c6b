<?php
// What the opcode cache of this pool is like; with FLEET_CACHE=reset it is reset first.
header('Content-Type: application/json');
$reset = ($_SERVER['FLEET_CACHE'] ?? '') === 'reset' ? opcache_reset() : null;
$status = opcache_get_status(false);
$statistics = $status['opcache_statistics'] ?? [];
echo json_encode([
    'pool' => fpm_get_status()['pool'],
    'user' => posix_geteuid(),
    'reset' => $reset,
    'generation' => ($statistics['start_time'] ?? 0) . '-' . ($statistics['manual_restarts'] ?? 0),
    'pending' => ($status['restart_pending'] ?? false) || ($status['restart_in_progress'] ?? false),
]);
