// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.List;
import java.util.function.Supplier;

/** A service of the provider: its names, and what makes its objects. */
record Offer(
    String type, String algorithm, List<String> aliases, String className, Supplier<Object> maker) {}
