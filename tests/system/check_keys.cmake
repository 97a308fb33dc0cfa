# docs/keys/BINARY.md is what the binary says about its keys; regenerate it with `BINARY --list-keys=markdown`.
execute_process(COMMAND ${BINARY} --list-keys=markdown OUTPUT_VARIABLE said RESULT_VARIABLE code)
file(READ ${DOCUMENT} written)
if(NOT code EQUAL 0 OR NOT said STREQUAL written)
  message(FATAL_ERROR "${DOCUMENT} is not what ${BINARY} --list-keys=markdown prints (exit code ${code})")
endif()
