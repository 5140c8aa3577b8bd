// SPDX-License-Identifier: Apache-2.0
module truth

go 1.19
