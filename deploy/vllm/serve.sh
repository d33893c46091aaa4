#!/bin/sh
# Starts vLLM from the environment of compose.yaml.
set -eu

role="${VLLM_KV_ROLE:-}"
connector="${KV_CONNECTOR:-NixlConnector}"
# vLLM warns of every VLLM_ variable that is not its own; an empty value is not the same to it as none.
unset VLLM_KV_ROLE
[ -n "${VLLM_NIXL_SIDE_CHANNEL_HOST:-}" ] || unset VLLM_NIXL_SIDE_CHANNEL_HOST
[ -n "${VLLM_API_KEY:-}" ] || unset VLLM_API_KEY
[ -n "${HF_TOKEN:-}" ] || unset HF_TOKEN

set -- serve "$MODEL_NAME" \
  --host 0.0.0.0 \
  --port 8000 \
  --served-model-name "$SERVED_MODEL_NAME" \
  --gpu-memory-utilization "$GPU_MEMORY_UTILIZATION" \
  --max-model-len "$MAX_MODEL_LEN" \
  --max-num-seqs "$MAX_NUM_SEQS" \
  --kv-cache-dtype "$KV_CACHE_DTYPE" \
  --enable-prefix-caching \
  --enable-prompt-tokens-details \
  --enable-auto-tool-choice \
  --tool-call-parser "$TOOL_CALL_PARSER"

case "$role" in
  "") ;;
  kv_producer | kv_consumer | kv_both)
    set -- "$@" --kv-transfer-config "{\"kv_connector\":\"$connector\",\"kv_role\":\"$role\"}"
    ;;
  *)
    echo "VLLM_KV_ROLE must be kv_producer, kv_consumer or kv_both, or not be set" >&2
    exit 2
    ;;
esac

exec vllm "$@"
