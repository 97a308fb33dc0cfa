// Whether the tests run under a sanitizer, where long ones do less.
#pragma once

namespace scribeline::tests {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#define SCRIBELINE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#define SCRIBELINE_SANITIZED
#endif
#ifndef SCRIBELINE_SANITIZED
inline constexpr bool sanitized = false;
#endif

}  // namespace scribeline::tests
